#version 300 es
// ES 3.00, 4.1.3: A number that does not fit into 32 bits is an error.
precision highp float;
out vec4 color;
void main() {
    int a = 4294967296; //~ error: `4294967296` needs more than 32 bits
    uint b = 99999999999u; //~ error: `99999999999` needs more than 32 bits
    int c = 0x100000000; //~ error: `0x100000000` needs more than 32 bits
    int d = 0777777777777; //~ error: `0777777777777` needs more than 32 bits
}
