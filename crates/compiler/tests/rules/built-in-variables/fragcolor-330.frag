// GLSL 3.30, 7.2: gl_FragColor is the colour; it may be written in parts and read.
// value: 1 2 3 6
#version 330
void main() {
    gl_FragColor = vec4(1.0, 2.0, 3.0, 4.0);
    gl_FragColor.w += 2.0;
    gl_FragColor.xy = gl_FragColor.xy;
}
