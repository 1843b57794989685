// ES 1.00, 4.3: There is no `centroid` here.
#version 100
precision mediump float;
centroid varying vec4 v; //~ error: `centroid` is a keyword of GLSL 1.20 and GLSL ES 3.00, not of GLSL ES 1.00

void main() {
}
