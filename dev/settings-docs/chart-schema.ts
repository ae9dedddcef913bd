import { ALL_SETTINGS } from '../../src/platform/config/tables.js'
import { meaningOf } from './setting-in-words.js'

/** Settings that the chart itself decides. */
const OF_CHART = /^(NODE_ENV|HOST|PORT|(JWT|SECRETS)_KEYS_FILE|TLS_.*|METRICS_.*)$/
/** Refuses any setting whose name may be in the Secret's file, so that no secret gets into a ConfigMap. */
const SETTING = { type: ['string', 'number', 'boolean'] }

/** The schema of the chart's values, with its settings replaced by those of the table. */
export function withChartSettings(schema: string): string {
  const parsed = JSON.parse(schema)
  const plain = ALL_SETTINGS.filter(({ name, isSecret }) => !isSecret && !OF_CHART.test(name))
  const properties = plain.map(setting => [setting.name, { ...SETTING, description: meaningOf(setting) }])
  parsed.properties.settings.properties = Object.fromEntries(properties)
  return `${JSON.stringify(parsed, null, 2)}\n`
}
