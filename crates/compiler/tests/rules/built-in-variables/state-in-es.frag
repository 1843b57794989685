// ES 1.00, 7.5: The only state is the range of depths.
#version 100
precision mediump float;
void main() {
    vec3 a = gl_NormalMatrix * vec3(1.0); //~ error: GLSL ES 1.00 has no `gl_NormalMatrix` (it is in GLSL 1.10 to 1.30 and the profile `compatibility`)
    gl_FragColor = vec4(a, gl_DepthRange.diff);
}
