#version 300 es
// ES 3.00, 4.1.2: bool is no number.
precision highp float;
out vec4 color;
void main() {
    bool a = 1; //~ error
    bool b = 0.0; //~ error
    int c = true; //~ error
    float d = false; //~ error
}
