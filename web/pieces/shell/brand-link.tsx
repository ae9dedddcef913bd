import { useState } from 'react'
import { initialsOf } from '../people/initials.js'
import { Link } from '../router.js'
import { site } from '../site/site.js'

/** Logo and name of the site; a letter where there is no logo. */
export function BrandLink({ href }: { readonly href: string }) {
  const [isLogoMissing, setIsLogoMissing] = useState(site.logoUrl === '')
  return (
    <Link href={href} className="brand">
      {isLogoMissing ? (
        <span className="mark" aria-hidden="true">
          {initialsOf(site.name).slice(0, 1)}
        </span>
      ) : (
        <img src={site.logoUrl} alt="" onError={() => setIsLogoMissing(true)} />
      )}
      <span>{site.name}</span>
    </Link>
  )
}
