// GLSL 1.10, 3.6: The words of precision are names like others in 1.10.
// value: 1 2 3 4
#version 110
void main() {
    float lowp = 1.0;
    float mediump = 2.0;
    float highp = 3.0;
    float precision = 4.0;
    gl_FragColor = vec4(lowp, mediump, highp, precision);
}
