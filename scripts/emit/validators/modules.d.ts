/** The modules that exist only while esbuild puts the validators together. */
declare module 'compiled' {
  export const checks: unknown
}
declare module 'table' {
  export const table: unknown
}
