/** The mark of the site, in a tab and in the header, as the path of an SVG of 16 by 16. */
export const MARK = 'M2 4h5v3H2zM9 9h5v3H9zM4 7v4h5'

export const ICON = `data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='${MARK}' fill='none' stroke='%234f6bed' stroke-width='1.6'/%3E%3C/svg%3E`
