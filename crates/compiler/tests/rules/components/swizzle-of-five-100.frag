// ES 1.00, 5.5: A swizzle has at most four components.
#version 100
precision mediump float;
void main() {
    vec4 v = vec4(1.0);
    vec4 a = v.xyzwx; //~ error
    float b = v.xxxxx.x; //~ error
}
