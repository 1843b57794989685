// GLSL 1.30, 3.6: The names of images are reserved.
#version 130
out vec4 color;
void main() {
    float image1D = 1.0; //~ error: `image1D` is a reserved word of GLSL 1.30, it cannot be a name
    float image2D = 1.0; //~ error: `image2D` is a reserved word of GLSL 1.30, it cannot be a name
    float iimageCube = 1.0; //~ error: `iimageCube` is a reserved word of GLSL 1.30, it cannot be a name
    float uimageBuffer = 1.0; //~ error: `uimageBuffer` is a reserved word of GLSL 1.30, it cannot be a name
}
