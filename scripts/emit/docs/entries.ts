import { entriesOf } from '../dist.js'

/** Where the reference of the package is, below the site. */
export const REFERENCE = 'reference'

/** What the reference leaves out: the document's types, which the site describes, and its examples. */
const LEFT_OUT = ['./types', './examples']

/** An entry of the package: its name in the reference, the file of its declarations below `dist/`, and its page. */
export interface PackageEntry {
  name: string
  file: string
  page: string
}

/** The entries of the package that the reference describes. */
export const packageEntries = (root: string): PackageEntry[] =>
  Object.entries(entriesOf(root))
    .filter(([entry]) => !LEFT_OUT.includes(entry))
    .map(([entry, file]) => {
      const name = entry.replace('.', 'contract')
      return { name, file, page: `${REFERENCE}/modules/${name.replaceAll('/', '_')}.html` }
    })
