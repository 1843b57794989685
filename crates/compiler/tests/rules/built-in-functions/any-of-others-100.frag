// ES 1.00, 8.6: any, all and not take vectors of bools.
#version 100
precision mediump float;
void main() {
    bool a = any(vec2(1.0)); //~ error
    bool b = all(true); //~ error
    bool c = not(true); //~ error
    bool d = any(ivec2(1)); //~ error
}
