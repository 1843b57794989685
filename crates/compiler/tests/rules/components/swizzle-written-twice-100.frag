// ES 1.00, 5.5: A component is written once.
#version 100
precision mediump float;
void main() {
    vec4 v = vec4(1.0);
    v.xx = vec2(1.0); //~ error
    v.xyx += 1.0; //~ error
    v.ww++; //~ error
}
