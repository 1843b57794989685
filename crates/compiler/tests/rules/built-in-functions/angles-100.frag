// ES 1.00, 8.1: radians, degrees, sin, cos, tan, asin, acos, atan work on floats and vectors.
// value: 0 1 0 0
#version 100
precision mediump float;
void main() {
    vec2 v = radians(degrees(vec2(0.0)));
    gl_FragColor = vec4(sin(v.x) + tan(0.0), cos(v).y, asin(0.0) + atan(0.0), atan(0.0, 1.0) + acos(1.0));
}
