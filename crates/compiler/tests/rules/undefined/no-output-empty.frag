// GLSL 1.10, 7.2: A shader that writes no output is undefined.
#version 110
void main() {} //~ warning: the shader writes no output; assign a value to `gl_FragColor`
