/**
 * Jest's filter, which it loads by `require`: which of the test files that it has found will run. Then makes what they need;
 * the global setup, which comes after it, starts what they share.
 */
module.exports = async paths => {
  const { needsOf, ofTier, otherCommandsFor } = await import('./tiers.mjs')
  const { prepare, prepareDocs } = await import('../../dev/prepare.mjs')
  const filtered = ofTier(process.env.TEST_TIER, paths)
  if (filtered.length === 0 && paths.length > 0) console.error(otherCommandsFor(paths[0]))
  const needs = needsOf(filtered)
  if (needs.build) prepare()
  if (needs.docs) prepareDocs()
  process.env.TEST_NEEDS_SERVERS = needs.servers ? 'yes' : ''
  return { filtered }
}
