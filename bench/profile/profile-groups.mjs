/** Where a function of ours or of a package belongs. The first that matches. */
const PLACES = [
  [
    /node_modules\/(jsonwebtoken|jws|jwa|ecdsa-sig-formatter|@nestjs\/jwt|lodash\.|safe-buffer|buffer-equal|semver|ms)\b/,
    'JWT',
  ],
  [/dist\/src\/tokens\/access-tokens\./, 'JWT'],
  [/node_modules\/(@redis|redis)\//, 'Redis client'],
  [/node_modules\/@fastify\/(cors|cookie)\/|dist\/src\/(cors|http)\//, 'CORS, headers, request id'],
  [/node_modules\/(@nestjs|rxjs|reflect-metadata|class-)/, 'Nest'],
  [/node_modules\/(pino|sonic-boom|fast-redact|@pinojs|thread-stream)/, 'Log'],
  [
    /node_modules\/(fastify|find-my-way|avvio|fast-|@fastify|process-warning|secure-json-parse|toad-cache)/,
    'Fastify',
  ],
  [/node_modules\//, 'Other packages'],
  [/dist\/src\//, 'Our code'],
  [/bench\/bare\.mjs/, 'Our code'],
]
const HTTP = /^node:(_http|internal\/http)/
export const GROUPS = [
  'Node HTTP and sockets',
  'Fastify',
  'Nest',
  'CORS, headers, request id',
  'Redis client',
  'JWT',
  'Log',
  'Other packages',
  'Our code',
  'Garbage collection',
  'Outside JavaScript',
]
const IDLE = new Set(['(idle)', '(root)'])
/** V8's own names for what is no function: system calls and Node's C++ between two of them are "(program)". */
const NO_FUNCTION = { '(garbage collector)': 'Garbage collection', '(program)': 'Outside JavaScript' }

/** Microseconds of the profile by group; what Node does inside belongs to whoever called it. */
export function microsecondsByGroup(profile) {
  const nodes = new Map(profile.nodes.map(node => [node.id, node]))
  for (const node of profile.nodes) for (const child of node.children ?? []) nodes.get(child).parent = node
  const totals = Object.fromEntries(GROUPS.map(group => [group, 0]))
  profile.samples.forEach((id, index) => {
    const group = groupOf(nodes.get(id))
    if (group) totals[group] += profile.timeDeltas[index]
  })
  return totals
}

function groupOf(leaf) {
  const { functionName } = leaf.callFrame
  if (IDLE.has(functionName)) return null
  if (functionName in NO_FUNCTION) return NO_FUNCTION[functionName]
  for (let node = leaf; node; node = node.parent) {
    const { url } = node.callFrame
    if (url.endsWith('/profiler.mjs')) return null
    if (HTTP.test(url)) return 'Node HTTP and sockets'
    const place = PLACES.find(([pattern]) => pattern.test(url))
    if (place) return place[1]
  }
  return 'Node HTTP and sockets'
}
