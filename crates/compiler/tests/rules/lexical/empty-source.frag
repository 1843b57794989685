// GLSL 3.30, 3.2: A shader without `main` is no shader.
// error on line 1: the shader has no function `main`
