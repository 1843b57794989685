// GLSL 1.10, 3.6: Words that only later versions have are names like others.
// value: 1 2 3 4
#version 110
void main() {
    float uint = 1.0, texture = 2.0, layout = 3.0, sampler2DArray = 4.0;
    float mat2x3 = 0.0, uvec2 = 0.0, isampler2D = 0.0;
    gl_FragColor = vec4(uint + mat2x3, texture + uvec2, layout + isampler2D, sampler2DArray);
}
