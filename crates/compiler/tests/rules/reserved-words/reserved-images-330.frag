// GLSL 3.30, 3.6: The names of images are reserved.
#version 330
out vec4 color;
void main() {
    float image1D = 1.0; //~ error
    float image2D = 1.0; //~ error
    float iimageCube = 1.0; //~ error
    float uimageBuffer = 1.0; //~ error
}
