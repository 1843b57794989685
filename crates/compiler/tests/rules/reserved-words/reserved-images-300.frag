#version 300 es
// ES 3.00, 3.7: The names of images are reserved.
precision highp float;
out vec4 color;
void main() {
    float image1D = 1.0; //~ error
    float image2D = 1.0; //~ error
    float iimageCube = 1.0; //~ error
    float uimageBuffer = 1.0; //~ error
}
