// The variables of a shader with a function, a loop that stays and a branch.
uniform float gain;
varying vec2 uv;

float shade(float t) {
    float lit = t * gain;
    return lit * lit + t;
}

void main() {
    vec2 p = uv * 2.0 - 1.0;
    float sum = 0.25;
    int count = 0;
    while (sum < 20.0 && count < 50) {
        float part = shade(p.x + float(count));
        sum += part;
        count++;
    }
    float side = sum;
    if (p.y > 0.0) {
        side = sqrt(sum) + p.x;
    }
    const float limit = 40.0;
    float share = min(sum, limit) / limit;
    gl_FragColor = vec4(p, side, share);
}
