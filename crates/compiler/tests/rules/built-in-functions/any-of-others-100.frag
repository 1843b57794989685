// ES 1.00, 8.6: any, all and not take vectors of bools.
#version 100
precision mediump float;
void main() {
    bool a = any(vec2(1.0)); //~ error: no function `any` takes (vec2)
    bool b = all(true); //~ error: no function `all` takes (bool)
    bool c = not(true); //~ error: no function `not` takes (bool)
    bool d = any(ivec2(1)); //~ error: no function `any` takes (ivec2)
}
