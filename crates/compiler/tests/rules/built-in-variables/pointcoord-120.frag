// GLSL 1.20, 7.2: gl_PointCoord is the place within a point.
#version 120
void main() {
    gl_FragColor = vec4(gl_PointCoord, 0.0, 1.0);
}
