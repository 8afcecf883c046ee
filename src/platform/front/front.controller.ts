import { Controller, Header, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { prefers } from '../route/prefers.js';
import { Route } from '../route/route.js';
import { page, plainOrPage } from '../transfer/page.js';
import { errorsPage } from './errors-page.js';
import { FRONT, FrontView, frontPage } from './front.js';

/** The entry pages for a visitor who has only the address of the service. */
@ApiTags('Health')
@Controller()
export class FrontController {
  @Route('GET /', {
    access: 'public',
    summary: 'Read which service runs here, and where its documents are',
    description: 'Browsers get a page, and all other clients get JSON.',
    returns: plainOrPage(FrontView),
  })
  @Header('vary', 'accept')
  read(@Req() request: Request) {
    return prefers(request, 'text/html') ? frontPage() : FRONT;
  }

  @Route('GET /docs/errors', {
    access: 'public',
    summary: 'Read the meaning of each error code, as a page',
    description:
      'Each code is an anchor, such as `/docs/errors#API_KEY_INVALID`. The `type` of a problem has this address.',
    returns: page('<h2 id="API_KEY_INVALID"><code>API_KEY_INVALID</code> 401</h2>'),
  })
  errors() {
    return errorsPage();
  }
}
