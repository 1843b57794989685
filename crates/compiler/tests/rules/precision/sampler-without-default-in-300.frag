#version 300 es
// ES 3.00, 4.5.4: Only sampler2D and samplerCube have a default precision.
out highp vec4 color;
uniform isampler2D s; //~ error: inputs of type `isampler2D` are not supported

void main() {
    color = vec4(1.0);
}
