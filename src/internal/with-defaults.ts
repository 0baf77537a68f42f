/** The options, with the default of each that is left out or undefined. */
export const withDefaults = <Options extends object, Name extends keyof Options>(
  defaults: { readonly [name in Name]: Options[name] },
  options: Options,
): Options & { [name in Name]-?: NonNullable<Options[name]> } => {
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  return { ...defaults, ...Object.fromEntries(given) } as never
}
