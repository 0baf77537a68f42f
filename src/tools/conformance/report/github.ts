import type { Report } from '../../../shared/report.js'
import { sections } from './group.js'

/** Workflow commands of GitHub Actions: an annotation for each group of failures, and for each contradiction. */
export function renderAnnotations(report: Report): string {
  const lines = sections(report).flatMap(({ outcome, rows }) => {
    const level =
      outcome === 'fail' || outcome === report.failOn
        ? 'error'
        : ['contradicted', 'warning'].includes(outcome)
          ? 'warning'
          : ''
    return level === ''
      ? []
      : rows.flatMap(({ text, groups }) =>
          groups.map(([{ basis, message }, ...more]) => {
            const also = more.length > 0 ? ` And ${more.length} more of the kind.` : ''
            return `::${level} title=${property(`${basis} ${text}`)}::${data(`${message}.${also}`)}`
          }),
        )
  })
  return lines.map((line) => `${line}\n`).join('')
}

const data = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
