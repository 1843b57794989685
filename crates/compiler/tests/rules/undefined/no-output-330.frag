// GLSL 3.30, 7.2: A shader that writes no output is undefined.
#version 330
out vec4 color;
void main() { //~ warning: the shader writes no output; assign a value to `gl_FragColor`
    float a = 1.0;
}
