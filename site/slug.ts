/** The anchor of a heading, as code hosts make it, so that a link works here and there. */
export const slug = (heading: string): string =>
  heading
    .replaceAll(/[`*]/g, '')
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\s-]/gu, '')
    .replaceAll(/\s/g, '-')
