// GLSL 3.30, 5.9: the low bits of a power of two far above 2^24 are 0, of a constant as at run time.
// value: 0 0 0 1
// set n = 1
#version 330
uniform int n;
out vec4 color;
void main() {
  int a = 1;
  int b = n;
  for (int i = 0; i < 39; i++) {
    a = a << 1;
    b = b << 1;
  }
  color = vec4((a * a) & 1, (b * b) & 1, (a * a) & 255, 1.0);
}
