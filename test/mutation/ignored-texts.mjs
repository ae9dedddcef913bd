// Tells Stryker what not to touch: texts for people and the wiring of modules. No condition, boundary or call is among them.
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin'

const DOCUMENTATION = /^(Api[A-Z]\w*|Answers|Refuses|DocumentedGuard)$/
/** What a field says of itself beside its rules. */
const DESCRIPTION = /^(description|example)$/
const WIRING = /^(Module|Injectable)$/
const ERRORS_WITH_A_TEXT = /^(Error|TypeError|SettingsError)$/
const LOG_LEVELS = /^(log|info|warn|error|debug)$/

function shouldIgnore({ node, parent }) {
  if (node.type === 'Decorator' && (DOCUMENTATION.test(callee(node)) || WIRING.test(callee(node))))
    return 'documentation or wiring'
  if (node.type === 'CallExpression' && DOCUMENTATION.test(node.callee.name)) return 'documentation'
  if (node.type === 'ObjectProperty' && DESCRIPTION.test(node.key.name)) return 'documentation'
  if (node.type === 'NewExpression' && ERRORS_WITH_A_TEXT.test(node.callee.name)) return 'text of an error'
  if (node.type === 'CallExpression' && isLogging(node.callee)) return 'text of a log line'
  if (node.type === 'ObjectProperty' && node.key.name === 'help') return 'text of a metric'
  if (parent?.type === 'NewExpression' && parent.callee.name === 'Logger') return 'name of a logger'
  return undefined
}

function callee({ expression }) {
  return expression.callee?.name ?? expression.name ?? ''
}

function isLogging({ type, object, property }) {
  if (type !== 'MemberExpression' || !LOG_LEVELS.test(property.name)) return false
  return object.name === 'logger' || object.property?.name === 'logger' || object.property?.name === 'log'
}

export const strykerPlugins = [declareValuePlugin(PluginKind.Ignore, 'texts', { shouldIgnore })]
