// ES 1.00, 5.5: A number has no members.
#version 100
precision mediump float;
void main() {
    float a = 1.0;
    float b = a.x; //~ error
    float c = a.r; //~ error
    bool d = true;
    bool e = d.x; //~ error
}
