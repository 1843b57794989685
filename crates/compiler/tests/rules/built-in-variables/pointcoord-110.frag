// GLSL 1.10, 7.2: There is no gl_PointCoord.
#version 110
void main() {
    gl_FragColor = vec4(gl_PointCoord, 0.0, 1.0); //~ error: GLSL 1.10 has no `gl_PointCoord` (it is in GLSL ES 1.00 and later and GLSL 1.20 and later)
}
