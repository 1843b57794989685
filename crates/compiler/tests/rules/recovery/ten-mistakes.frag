// ES 1.00, 9: A shader of some 400 lines with mistakes of the usual kinds: each is reported once, and nothing else.
#version 100
precision mediump float;
// A night scene: a lake, a house, some trees, a moon.

uniform vec2 resolution;
uniform float time;
uniform vec2 mouse;
uniform sampler2D noiseMap;
uniform vec3 moonColor;
uniform int quality;

varying vec2 vUv;

#define PI 3.14159265
#define TAU (2.0 * PI)
#define STEPS 48
#define FAR 60.0
#define EPSILON 0.002
#define SATURATE(x) clamp(x, 0.0, 1.0)
#define ROTATE(p, a) (p) = cos(a) * (p) + sin(a) * vec2((p).y, -(p).x)

struct Ray {
    vec3 origin;
    vec3 direction;
};

struct Hit {
    float distance;
    float material;
    vec3 position;
    vec3 normal;
};

struct Light {
    vec3 position;
    vec3 color;
    float strength;
};

const float WATER = 1.0;
const float WALL = 2.0;
const float ROOF = 3.0;
const float TREE = 4.0;
const float GROUND = 5.0;

// ---------------------------------------------------------------- noise

float hash(float n) {
    return fract(sin(n) * 43758.5453);
}

float hash2(vec2 p) {
    return fract(sin(dot(p, vec2(12.9898, 78.233))) * 43758.5453);
}

vec2 hash22(vec2 p) {
    float x = hash2(p);
    float y = hash2(p + 17.0);
    return vec2(x, y);
}

float noise(vec2 p) {
    vec2 i = floor(p);
    vec2 f = fract(p);
    f = f * f * (3.0 - 2.0 * f);
    float a = hash2(i);
    float b = hash2(i + vec2(1.0, 0.0));
    float c = hash2(i + vec2(0.0, 1.0));
    float d = hash2(i + vec2(1.0, 1.0));
    return mix(mix(a, b, f.x), mix(c, d, f.x), f.y);
}

float noise3(vec3 p) {
    float low = noise(p.xy + floor(p.z) * 37.0);
    float high = noise(p.xy + (floor(p.z) + 1.0) * 37.0);
    float f = fract(p.z);
    return mix(low, high, f * f * (3 - 2.0 * f)); //~ error: `-` does not take `int` and `float`
}

float fbm(vec2 p) {
    float sum = 0.0;
    float scale = 0.5;
    for (int i = 0; i < 5; i++) {
        sum += scale * noise(p);
        p = p * 2.03 + vec2(1.7, 9.2);
        scale *= 0.5;
    }
    return sum;
}

float ridged(vec2 p) {
    float sum = 0.0;
    float scale = 0.5;
    for (int i = 0; i < 4; i++) {
        sum += scale * (1.0 - abs(2.0 * noise(p) - 1.0));
        p *= 2.1;
        scale *= 0.5;
    }
    return sum;
}

float fromMap(vec2 p) {
    vec4 a = texture2D(noiseMap, p * 0.01);
    vec4 b = texture2D(noiseMap, p * 0.023 + 0.5);
    return 0.5 * (a.r + b.g);
}

// ---------------------------------------------------------------- shapes

float sphere(vec3 p, float r) {
    return length(p) - r;
}

float box(vec3 p, vec3 size) {
    vec3 d = abs(p) - size;
    float inside = min(max(d.x, max(d.y, d.z)), 0.0);
    return inside + length(max(d, 0.0));
}

float plane(vec3 p, float height) {
    return p.y - height;
}

float cylinder(vec3 p, float r, float h) {
    vec2 d = abs(vec2(length(p.xz), p.y)) - vec2(r, h);
    return min(max(d.x, d.y), 0.0) + length(max(d, 0.0));
}

float cone(vec3 p, float r, float h) {
    float q = length(p.xz);
    vec2 n = normalize(vec2(h, r));
    return max(dot(n, vec2(q, p.y - h)), -p.y);
}

float prism(vec3 p, vec2 size) {
    vec3 q = abs(p);
    float side = q.x * 0.8 + p.y * 0.6;
    return max(q.z - size.y, max(side - size.x, -p.y));
}

float torus(vec3 p, vec2 size) {
    vec2 q = vec2(length(p.xz) - size.x, p.y);
    return length(q) - size.y;
}

float smoothUnion(float a, float b, float k) {
    float h = clamp(0.5 + 0.5 * (b - a) / k, 0.0, 1.0);
    return mix(b, a, h) - k * h * (1.0 - h);
}

vec2 nearer(vec2 a, vec2 b) {
    return a.x < b.x ? a : b;
}

vec2 repeat(vec2 p, float size) {
    return mod(p + 0.5 * size, size) - 0.5 * size;
}

// ---------------------------------------------------------------- scene

float terrain(vec2 p) {
    float lake = smoothstep(3.0, 9.0, length(p));
    float hills = fbm(p * 0.15) * 3.0;
    return mix(-1.5, hills, lake);
}

float tree(vec3 p) {
    float trunk = cylinder(p - vec3(0.0, 0.5, 0.0), 0.08, 0.5);
    float crown = cone(p - vec3(0.0, 0.8, 0.0), 0.6, 1.6);
    float upper = cone(p - vec3(0.0, 1.6, 0.0), 0.4, 1.2);
    crown = min(crown, uper); //~ error: there is no variable `uper`
    return min(trunk, crown);
}

vec2 house(vec3 p) {
    vec2 walls = vec2(box(p - vec3(0.0, 0.6, 0.0), vec3(0.9, 0.6, 0.6)), WALL);
    vec2 roof = vec2(prism(p - vec3(0.0, 1.2, 0.0), vec2(0.8, 0.7)), ROOF);
    float chimney = box(p - vec3(0.4, 1.6, 0.2), vec3(0.1, 0.4, 0.1));
    vec2 all = nearer(walls, roof);
    return nearer(all, vec2(chimney, WALL));
}

vec2 forest(vec3 p) {
    vec2 cell = floor((p.xz + 2.0) / 4.0);
    vec2 shift = hash22(cell) * 1.5 - 0.75;
    vec3 q = p;
    q.xz = repeat(p.xz, 4.0) - shift;
    q.y -= terrain(cell * 4.0);
    float near = tree(q);
    float clear = 10.0 - length(p.xz);
    return vec2(max(near, clear), TREE);
}

vec2 scene(vec3 p) {
    vec2 ground = vec2((p.y - terrain(p.xz)) * 0.6, GROUND);
    vec2 water = vec2(plane(p, -0.2), WATER);
    vec2 result = nearer(ground, water);
    vec3 q = p - vec3(6.0, 0.2, 6.0);
    q.xz = ROTATED(q.xz, 0.6); //~ error: there is no function `ROTATED`
    result = nearer(result, house(q));
    result = nearer(result, forest(p));
    return result;
}

vec3 normalAt(vec3 p) {
    vec2 e = vec2(EPSILON, 0.0);
    float x = scene(p + e.xyy).x - scene(p - e.xyy).x;
    float y = scene(p + e.yxy).x - scene(p - e.yxy).x;
    float z = scene(p + e.yyx).x - scene(p - e.yyx).x;
    return normalize(vec3(x, y, z));
}

vec3 waterNormal(vec3 p) {
    vec2 e = vec2(0.05, 0.0);
    vec2 q = p.xz * 2.0 + time * 0.3;
    float h = fromMap(q);
    float hx = fromMap(q + e.xy);
    float hz = fromMap(q + e.yx);
    return normalize(vec3(h - hx, 0.4, h - hz));
}

// ---------------------------------------------------------------- marching

Hit march(Ray ray) {
    Hit hit;
    hit.distance = 0.0;
    hit.material = 0.0;
    hit.position = ray.origin;
    hit.normal = vec3(0.0, 1.0, 0.0);
    for (int i = 0; i < STEPS; i++) {
        vec3 p = ray.origin + ray.direction * hit.distance;
        vec2 near = scene(p);
        if (near.x < EPSILON * hit.distance) {
            hit.material = near.y;
            hit.positon = p; //~ error: `Hit` has no member `positon`
            break;
        }
        hit.distance += near.x;
        if (hit.distance > FAR) break;
    }
    if (hit.material == WATER) {
        hit.normal = waterNormal(hit.position);
    } else if (hit.material > 0.0) {
        hit.normal = normalAt(hit.position);
    }
    return hit;
}

float shadow(vec3 p, vec3 direction) {
    float light = 1.0;
    float t = 0.05;
    for (int i = 0; i < 16; i++) {
        float d = scene(p + direction * t).x;
        light = min(light, 8.0 * d / t);
        t += clamp(d, 0.05, 1.0);
        if (light < 0.01 || t > 12.0) break;
    }
    return SATURATE(light);
}

float occlusion(vec3 p, vec3 n) {
    float sum = 0.0;
    float weight = 1.0;
    for (int i = 1; i <= 4; i++) {
        float d = 0.15 * float(i);
        sum += weight * (d - scene(p + n * d).x);
        weight *= 0.6;
    }
    return SATURATE(1.0 - sum);
}

// ---------------------------------------------------------------- sky

vec3 stars(vec3 d) {
    vec2 p = d.xz / (d.y + 0.2) * 40.0;
    vec2 cell = floor(p);
    float bright = step(0.97, hash2(cell));
    vec2 center = cell + hash22(cell);
    float twinkle = 0.6 + 0.4 * sin(time * 3.0 + hash2(cell) * TAU);
    float spot = smoothstep(0.15, 0.0, length(p - center));
    return vec3(bright * twinkle * spot);
}

vec3 moon(vec3 d, vec3 toMoon) {
    float c = dot(d, toMoon);
    float disc = smoothstep(0.9985, 0.999, c);
    float glow = pow(max(c, 0.0), 64.0) * 0.4;
    float craters = 0.7 + 0.3 * ridged(d.xy * 60.0);
    return moonColor * (disc * craters + glow) //~ error: expected `;` after `return`
}

vec3 clouds(vec3 d, vec3 below) {
    if (d.y < 0.05) return below;
    vec2 p = d.xz / d.y;
    float cover = smoothstep(0.45, 0.8, fbm(p + vec2(time * 0.02, 0.0)));
    return mix(below, vec3(0.10, 0.11, 0.15), cover);
}

vec3 sky(vec3 d, vec3 toMoon) {
    float height = max(d.y, 0.0);
    vec3 color = mix(vec3(0.08, 0.10, 0.18), vec3(0.01, 0.02, 0.06), sqrt(height));
    color += stars(d) * smoothstep(0.0, 0.3, height);
    color += moon(d, toMoon, 1.0); //~ error: no function `moon` takes (vec3, vec3, float)
    return clouds(d, color);
}

// ---------------------------------------------------------------- light

vec3 albedo(Hit hit) {
    vec3 p = hit.position;
    if (hit.material == WALL) {
        float plank = step(0.9, fract(p.y * 6.0));
        return mix(vec3(0.45, 0.32, 0.22), vec3(0.25, 0.17, 0.12), plank);
    }
    if (hit.material == ROOF) {
        float tile = step(0.8, fract(p.y * 8.0)) * 0.3;
        return vec3(0.40, 0.12, 0.10) * (1.0 - tile);
    }
    if (hit.material == TREE) {
        return vec3(0.05, 0.16, 0.07) * (0.7 + 0.3 * noise3(p * 4.0));
    }
    float grass = fbm(p.xz * 3.0);
    return mix(vec3(0.12, 0.20, 0.08), vec3(0.24, 0.20, 0.12), grass);
}

float specular(vec3 n, vec3 toLight, vec3 toEye, float power) {
    vec3 half_ = normalize(toLight + toEye);
    float s = max(dot(n, half_), 0.0);
    return pow(s, power);
}

vec3 lit(Hit hit, Ray ray, Light light) {
    vec3 toLight = normalize(light.position - hit.position);
    vec3 toEye = -ray.direction;
    float diffuse = max(dot(hit.normal, toLight), 0.0);
    float dark = shadow(hit.position + hit.normal * 0.02, toLight);
    float shiny = specular(hit.normal, toLight, toEye, 24.0);
    vec3 color = albedo(hit) * diffuse * light.color;
    color += 0.2 * shiny * light.color;
    if (light.strength) { //~ error: the condition of `if` is of type `float`; expected `bool`
        color *= light.strength;
    }
    return color * dark;
}

vec3 window(Hit hit) {
    vec3 p = hit.position - vec3(6.0, 0.2, 6.0);
    ROTATE(p.xz, 0.6);
    vec2 q = abs(vec2(p.x, p.y - 0.7)) - vec2(0.25);
    float frame = step(max(q.x, q.y), 0.0);
    return vec3(1.0, 0.7, 0.3) * frame * step(hit.material, 2.5) * step(1.5, hit.material);
}

vec3 fog(vec3 color, float distance, vec3 direction) {
    float amount = 1.0 - exp(-distance * 0.03);
    vec3 haze = mix(vec3(0.05, 0.06, 0.10), moonColor * 0.2, max(direction.y, 0.0));
    return mix(color, haze, amount);
}

vec3 shade(Hit hit, Ray ray, vec3 toMoon) {
    if (hit.material == 0.0) return sky(ray.direction, toMoon);
    Light moonLight = Light(toMoon * 40.0, moonColor, 1.2);
    Light lamp = Light(vec3(6.0, 1.5, 4.0), vec3(1.0, 0.6, 0.2)); //~ error: the constructor of `Light` takes 3 arguments; 2 are given
    vec3 color = lit(hit, ray, moonLight);
    color += lit(hit, ray, lamp) * 0.5;
    color += albedo(hit) * vec3(0.03, 0.04, 0.07) * occlusion(hit.position, hit.normal);
    color += window(hit);
    return fog(color, hit.distance, ray.direction);
}

// ---------------------------------------------------------------- camera

Ray camera(vec2 uv) {
    float turn = time * 0.1 + mouse.x * TAU;
    vec3 eye = vec3(14.0 * cos(turn), 4.0 + 3.0 * mouse.y, 14.0 * sin(turn));
    vec3 target = vec3(2.0, 1.0, 2.0);
    vec3 forward = normalize(target - eye);
    vec3 right = normalize(cross(forward, vec3(0.0, 1.0, 0.0)));
    vec3 up = cross(right, forward);
    vec3 direction = normalize(forward * 1.6 + right * uv.x + up * uv.y);
    return Ray(eye, direction);
}

vec3 toneMap(vec3 color) {
    color = color / (1.0 + color);
    return pow(color, vec3(1.0 / 2.2));
}

float vignette(vec2 uv) {
    return 1.0 - 0.3 * dot(uv, uv);
}

float grain(vec2 uv) {
    vUv.x += time; //~ error: `vUv` is an input of the shader, and cannot be written to
    return hash2(uv + fract(time)) * 0.03 - 0.015;
}

void main() {
    vec2 uv = 2.0 * vUv - 1.0;
    uv.x *= resolution.x / resolution.y;
    vec3 toMoon = normalize(vec3(-0.6, 0.35, -0.7));
    Ray ray = camera(uv);
    Hit hit = march(ray);
    vec3 color = shade(hit, ray, toMoon);
    if (hit.material == WATER && quality > 0) {
        Ray mirrored = Ray(hit.position + hit.normal * 0.05, reflect(ray.direction, hit.normal));
        vec3 seen = sky(mirrored.direction, toMoon);
        float fresnel = pow(1.0 - max(dot(-ray.direction, hit.normal), 0.0), 5.0);
        color = mix(color, seen, 0.2 + 0.8 * fresnel);
    }
    color = toneMap(color) * vignette(uv) + grain(vUv);
    gl_FragColor = color; //~ error: the value is of type `vec3`; expected `vec4`
}
