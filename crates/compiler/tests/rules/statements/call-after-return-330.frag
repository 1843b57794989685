// GLSL 3.30, 6.4: What follows a jump never runs; it may call functions all the same.
// set x = 3 0 0 0
// value: 3 9 5 1
#version 330
uniform vec4 x;
uniform sampler2D image;
out vec4 color;
float square(float a) { return a * a; }
float early(float a) {
    return a;
    return square(a) + texture(image, vec2(a)).x;
}
void main() {
    float y = x.x;
    while (false) y = square(y);
    for (int i = 0; i < 4; i++) {
        if (i < 2) { continue; y = square(y); }
        break;
        y = square(y);
    }
    color = vec4(early(x.x), square(y), 5.0, 1.0);
    return;
    color = vec4(square(x.x), y = square(y), atan(x.xy, texture(image, x.xy).xy));
}
