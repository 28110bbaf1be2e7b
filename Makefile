all:
	cmake -S . -B build -G Ninja -DHF_WERROR=ON && cmake --build build
