// GLSL 1.20, 7.5: The matrices of OpenGL's state are uniforms, with their inverses and transposes.
// set gl_ModelViewMatrix = 1 0 0 0  0 2 0 0  0 0 3 0  4 5 6 1
// set gl_ModelViewMatrixTranspose = 1 0 0 4  0 2 0 5  0 0 3 6  0 0 0 1
// set gl_NormalMatrix = 2 0 0  0 3 0  0 0 4
// set gl_TextureMatrix[1] = 1 0 0 0  0 1 0 0  0 0 1 0  7 8 0 1
// set gl_NormalScale = 0.5
// value: 15.5 24 3 2
#version 120
void main() {
    vec4 place = gl_ModelViewMatrix * vec4(1.0, 1.0, 1.0, 1.0) + gl_ModelViewMatrixTranspose[0];
    vec3 normal = gl_NormalMatrix * vec3(1.0) * gl_NormalScale;
    vec4 coordinate = gl_TextureMatrix[1] * vec4(1.0);
    gl_FragColor = vec4(place.x + normal.y + coordinate.x, place.y + coordinate.y * 1.0 + 8.0, normal.z + 1.0, coordinate.w + 1.0);
}
