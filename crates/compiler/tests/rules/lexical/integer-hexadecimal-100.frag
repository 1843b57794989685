// ES 1.00, 4.1.3: An integer that begins with 0x or 0X is hexadecimal; its letters may be small or large.
// value: 255 171 16 0
#version 100
precision mediump float;
void main() {
    gl_FragColor = vec4(float(0xff), float(0XaB), float(0x10), float(0x0));
}
