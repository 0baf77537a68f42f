import { tryService, ids } from '/work/wt/verify/test/conformance/service.js'
const t=performance.now()
for (const depth of ['quick','normal','thorough'] as const) for (const rateLimit of [false, true]) {
const from=performance.now()
const r = await tryService(undefined, { trigger: 'succeeds', rateLimit, options: { depth, seed: 1 } })
console.log(depth, rateLimit, r.requests, r.complete, r.remarks, 'runs', r.runs, Math.round(performance.now()-from), 'ms virtual', r.duration/1000)
for (const f of r.findings) if (f.outcome==='fail'||f.outcome==='contradicted') console.log('  ', f.outcome, f.basis, f.message, f.request?.url)
console.log('   n-e', ids(r,'not-exercised').join(' '))
}
