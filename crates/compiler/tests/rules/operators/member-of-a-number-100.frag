// ES 1.00, 5.5: A number has no members.
#version 100
precision mediump float;
void main() {
    float a = 1.0;
    float b = a.x; //~ error: `float` has no components: `.x` is for vectors
    float c = a.r; //~ error: `float` has no components: `.r` is for vectors
    bool d = true;
    bool e = d.x; //~ error: `bool` has no components: `.x` is for vectors
}
