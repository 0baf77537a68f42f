import { it } from 'vitest'
import { detect, entriesOf } from './detection.js'
import { services } from './services/index.js'
it('x', async () => {
  const names = (process.env.NAMES ?? '').split('|')
  const depths = (process.env.DEPTHS ?? 'quick,normal,thorough').split(',')
  for (const s of services.filter((each) => names.some((name) => `${each.class}: ${each.name}`.includes(name))))
    for (const depth of depths) {
      const r = await detect(s, depth as never)
      console.log(`${s.kind} ${s.class}: ${s.name}, ${depth}, ${r.complete}, ${r.requests}: FAIL ${entriesOf(r, 'fail')} CONTRADICTED ${entriesOf(r, 'contradicted')}`)
      if (process.env.SHOW) for (const f of r.findings) if (f.outcome === 'fail') console.log('  ', f.basis, f.message)
    }
}, 600_000)
