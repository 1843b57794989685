// GLSL 3.30, 4.1.3: A number that does not fit into 32 bits is an error.
#version 330
out vec4 color;
void main() {
    int a = 4294967296; //~ error
    uint b = 99999999999u; //~ error
    int c = 0x100000000; //~ error
    int d = 0777777777777; //~ error
}
