import { t } from '../language/t.js'
import { hostOf } from './site.js'

/** Links to the sites where somebody works. A preview pattern stands for many hosts, so it has no link. */
export function SiteLinks({ origins }: { readonly origins: readonly string[] }) {
  return origins
    .filter(origin => !origin.includes('*'))
    .map(origin => (
      <a key={origin} href={origin}>
        {t('common.goTo', { host: hostOf(origin) })}
      </a>
    ))
}
