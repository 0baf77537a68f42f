import { entriesOf } from '../dist.js'

/** Where the reference of the package is, below the site. */
export const REFERENCE = 'reference'

/** The guide whose sections begin the pages of the entries. */
export const REFERENCE_GUIDE = 'package-reference'

/** An entry of the package: how it is imported, the file of its declarations below `dist/`, and its page. */
export interface PackageEntry {
  name: string
  /** Its short name, for lists of the entries. */
  label: string
  file: string
  /** The file of its page, without the ending. */
  page: string
}

/** The entries of the package that have types. */
export const packageEntries = (root: string): PackageEntry[] =>
  Object.entries(entriesOf(root)).map(([entry, file]) => ({
    name: entry.replace('.', '@workflow-automation/contract'),
    label: entry === '.' ? 'contract' : entry,
    file,
    page: entry.replace('.', 'contract').replaceAll('/', '-'),
  }))
