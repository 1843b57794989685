// ES 1.00, 4.1.2: bool is no number.
#version 100
precision mediump float;
void main() {
    bool a = 1; //~ error
    bool b = 0.0; //~ error
    int c = true; //~ error
    float d = false; //~ error
}
