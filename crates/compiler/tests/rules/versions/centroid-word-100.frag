// ES 1.00, 4.3: There is no `centroid` here.
#version 100
precision mediump float;
centroid varying vec4 v; //~ error

void main() {
}
