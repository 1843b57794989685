// GLSL 3.30, 3.2: A source of comments has no `main`.
// error on line 1: the shader has no function `main`
/* nothing
*/ // at all
