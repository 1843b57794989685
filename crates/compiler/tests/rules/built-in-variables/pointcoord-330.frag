// GLSL 3.30, 7.2: gl_PointCoord is the place within a point.
#version 330
out vec4 color;
void main() {
    color = vec4(gl_PointCoord, 0.0, 1.0);
}
