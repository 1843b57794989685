#version 300 es
// The game of life. Red is who lives; green and blue keep a trail of who lived.
precision highp float;
uniform sampler2D world;
out vec4 next;

float lives(ivec2 place) {
    return step(0.5, texelFetch(world, place, 0).r);
}

void main() {
    ivec2 place = ivec2(gl_FragCoord.xy);
    float around = 0.0;
    for (int y = -1; y <= 1; y++) {
        for (int x = -1; x <= 1; x++) {
            if (x != 0 || y != 0) around += lives(place + ivec2(x, y));
        }
    }
    // Born with three neighbours; lives on with two or three.
    float now = around == 3.0 || (around == 2.0 && lives(place) > 0.5) ? 1.0 : 0.0;
    vec4 before = texelFetch(world, place, 0);
    next = vec4(now, max(now, 0.85 * before.g), max(now, 0.96 * before.b), 1.0);
}
