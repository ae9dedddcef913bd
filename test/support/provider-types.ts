import { join } from 'node:path'
import ts from 'typescript'

/** What the provider's package calls the objects that the provider sends, by their field `object`. */
const KINDS = {
  'billing_portal.configuration': 'Stripe.BillingPortal.Configuration',
  'billing_portal.session': 'Stripe.BillingPortal.Session',
  'checkout.session': 'Stripe.Checkout.Session',
  charge: 'Stripe.Charge',
  customer: 'Stripe.Customer | Stripe.DeletedCustomer',
  dispute: 'Stripe.Dispute',
  invoice: 'Stripe.Invoice',
  invoice_payment: 'Stripe.InvoicePayment',
  payment_intent: 'Stripe.PaymentIntent',
  payment_method: 'Stripe.PaymentMethod',
  price: 'Stripe.Price',
  product: 'Stripe.Product',
  refund: 'Stripe.Refund',
  setup_intent: 'Stripe.SetupIntent',
  subscription: 'Stripe.Subscription',
  webhook_endpoint: 'Stripe.WebhookEndpoint',
} as const
export type Kind = keyof typeof KINDS

const ROOT = join(process.cwd(), 'test', 'provider-types.virtual.ts')

/** The types of the installed `stripe` package, to hold JSON against: tsc knows only what we say that we send. */
export class ProviderTypes {
  private constructor(
    private readonly checker: ts.TypeChecker,
    private readonly types: ReadonlyMap<string, ts.Type>,
  ) {}

  static load(): ProviderTypes {
    const fields = Object.entries(KINDS).map(([kind, type]) => `'${kind}': ${type}`)
    const text = `import type Stripe from 'stripe'\nexport interface Kinds { ${fields.join('; ')} }\n`
    const program = programOf(text)
    const checker = program.getTypeChecker()
    const file = program.getSourceFile(ROOT) as ts.SourceFile
    const [kinds] = checker.getExportsOfModule(checker.getSymbolAtLocation(file) as ts.Symbol)
    const properties = checker.getDeclaredTypeOfSymbol(kinds as ts.Symbol).getProperties()
    return new ProviderTypes(
      checker,
      new Map(properties.map(field => [field.name, checker.getTypeOfSymbol(field)])),
    )
  }

  /** What is wrong with an object that the provider is said to send: missing, unknown and wrong fields, by path. */
  faultsOf(value: { readonly object: string }): string[] {
    const type = this.types.get(value.object)
    return type ? this.faults(type, value, value.object) : [`${value.object} is of no known kind`]
  }

  private faults(type: ts.Type, value: unknown, path: string): string[] {
    if (type.isUnion()) return this.faultsOfUnion(type, value, path)
    if (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return []
    if (type.symbol?.name === 'Decimal')
      return mustBe(typeof value === 'string', path, 'a decimal as text', value)
    // `string & {}` is how the package says "or another word that is to come".
    if (type.isIntersection()) return mustBe(typeof value === 'string', path, 'text', value)
    if (type.isLiteral()) return mustBe(value === type.value, path, JSON.stringify(type.value), value)
    if (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.NonPrimitive))
      return this.faultsOfObject(type, value, path)
    const name = this.checker.typeToString(type)
    return mustBe(
      name === (value === null ? 'null' : typeof value) || name === String(value),
      path,
      name,
      value,
    )
  }

  private faultsOfUnion({ types }: ts.UnionType, value: unknown, path: string): string[] {
    const ways = types
      .map(type => this.faults(type, value, path))
      .sort((one, other) => one.length - other.length)
    const isFine = ways[0]?.length === 0
    // The member that says most is the one that was meant: the others say only that it is no text, or no null.
    return isFine
      ? []
      : (ways.find(faults => faults.some(fault => !fault.startsWith(`${path} `))) ?? ways[0] ?? [])
  }

  private faultsOfObject(type: ts.Type, value: unknown, path: string): string[] {
    if (typeof value !== 'object' || value === null) return mustBe(false, path, 'an object', value)
    if (this.checker.isArrayType(type)) return this.faultsOfList(type, value, path)
    const each = this.checker.getIndexTypeOfType(type, ts.IndexKind.String)
    const fields = new Map(type.getProperties().map(field => [field.name, field]))
    const missing = [...fields.values()].filter(
      ({ name, flags }) => !(flags & ts.SymbolFlags.Optional) && !Object.hasOwn(value, name) && isJson(name),
    )
    const wrong = Object.entries(value).flatMap(([name, field]) => {
      const known = fields.get(name)
      if (known) return this.faults(this.checker.getTypeOfSymbol(known), field, `${path}.${name}`)
      return each ? this.faults(each, field, `${path}.${name}`) : [`${path}.${name} is no field`]
    })
    return [...missing.map(({ name }) => `${path}.${name} is missing`), ...wrong]
  }

  private faultsOfList(type: ts.Type, value: object, path: string): string[] {
    const [each] = this.checker.getTypeArguments(type as ts.TypeReference)
    if (!Array.isArray(value)) return mustBe(false, path, 'a list', value)
    return value.flatMap((item, index) => this.faults(each as ts.Type, item, `${path}[${index}]`))
  }
}

/** Lists can be iterated in the package; that is not sent. */
function isJson(name: string): boolean {
  return !name.startsWith('__@')
}

function mustBe(isFine: boolean, path: string, wanted: string, value: unknown): string[] {
  return isFine ? [] : [`${path} must be ${wanted}, not ${JSON.stringify(value)?.slice(0, 60)}`]
}

/** The one file that there is beside the package and the language's own types is not on the disk. */
function programOf(text: string): ts.Program {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    skipLibCheck: true,
    types: ['node'],
  }
  const host = ts.createCompilerHost(options)
  const { getSourceFile, fileExists, readFile } = host
  host.fileExists = path => path === ROOT || fileExists(path)
  host.readFile = path => (path === ROOT ? text : readFile(path))
  host.getSourceFile = (path, languageVersion) =>
    path === ROOT ? ts.createSourceFile(path, text, languageVersion) : getSourceFile(path, languageVersion)
  return ts.createProgram([ROOT], options, host)
}
