//! Templates: text with `<% … %>` in it. (`epp_support.rb`)

use crate::lexer::LexResult;
use crate::lexer::Lexer;
use crate::lexer::Mode;
use crate::token::Kind;
use crate::token::Piece;
use catwalk_base::diag::Code;

impl Lexer<'_, '_> {
    /// `%>` or `-%>`: ends the code; what follows is text.
    pub(super) fn close_tag(&mut self, length: usize, kind: Kind, trim: bool) -> LexResult<Option<Kind>> {
        let start = self.pos;
        self.pos += length;
        if self.mode == Mode::Expression {
            self.push(kind, start, self.pos);
        }
        self.mode = Mode::Text;
        self.template_text(trim)?;
        Ok(None)
    }

    /// Takes text up to the next tag. `trim` removes white space up to and including the line break it starts with.
    pub(super) fn template_text(&mut self, trim: bool) -> LexResult<()> {
        let before = self.pos;
        let (text, mode) = self.scan_text(trim)?;
        let end = self.pos;
        match mode {
            Mode::Text | Mode::Manifest => {
                if let Some(text) = text {
                    let value = self.add_piece(Piece::Owned(text));
                    self.push_value(Kind::RenderString, before, end, value);
                }
                self.tag_open = false;
                self.mode = Mode::Text;
            }
            Mode::Code | Mode::Expression => {
                if let Some(text) = text.filter(|text| !text.is_empty()) {
                    let value = self.add_piece(Piece::Owned(text));
                    self.push_value(Kind::RenderString, before, end, value);
                }
                if mode == Mode::Expression {
                    let value = self.add_piece(Piece::Owned(String::new()));
                    self.push_value(Kind::RenderExpr, before, before, value);
                }
                self.mode = mode;
                self.tag_open = true;
            }
        }
        Ok(())
    }

    fn scan_text(&mut self, mut trim: bool) -> LexResult<(Option<String>, Mode)> {
        let mut out = String::new();
        while self.pos < self.bytes.len() {
            let rest = self.text.get(self.pos..).unwrap_or("");
            let tag = memchr::memmem::find(rest.as_bytes(), b"<%");
            let length = tag.unwrap_or(rest.len());
            let mut part = rest.get(..length).unwrap_or("");
            self.pos += length + if tag.is_some() { 2 } else { 0 };
            if trim {
                part = part.trim_start_matches([' ', '\t']);
                part = part.strip_prefix('\r').unwrap_or(part);
                part = part.strip_prefix('\n').unwrap_or(part);
                trim = false;
            }
            out.push_str(&part.replace("%%>", "%>"));
            if tag.is_none() {
                return Ok((Some(out), Mode::Text));
            }
            match self.bytes.get(self.pos) {
                None => {
                    let message = "Unbalanced embedded expression - opening <% and reaching end of input";
                    return self.fail(Code::EPP_UNBALANCED_EXPRESSION, message, self.pos);
                }
                Some(b'-') => {
                    self.pos += 1;
                    out.truncate(out.trim_end_matches([' ', '\t']).len());
                    return Ok((Some(out), Mode::Code));
                }
                Some(b'%') => {
                    self.pos += 1;
                    out.push_str("<%");
                }
                Some(b'=') => {
                    self.pos += 1;
                    return Ok((Some(out), Mode::Expression));
                }
                Some(b'#') => trim = self.comment(&mut out)?,
                Some(_) => return Ok((Some(out), Mode::Code)),
            }
        }
        // Puppet drops the text before a comment or an escaped tag that ends the template.
        Ok((None, Mode::Text))
    }

    /// `<%# … %>`: returns whether it ended with `-%>`.
    fn comment(&mut self, out: &mut String) -> LexResult<bool> {
        let rest = self.bytes.get(self.pos..).unwrap_or(&[]);
        let close = memchr::memmem::find_iter(rest, b"%>").find(|at| *at > 0 && rest.get(at - 1) != Some(&b'%'));
        let Some(close) = close else {
            return self.fail(
                Code::EPP_UNBALANCED_COMMENT,
                "Reaching end after opening <%# without seeing %>",
                self.pos,
            );
        };
        if rest.get(1) == Some(&b'-') {
            out.truncate(out.trim_end_matches([' ', '\t']).len());
        }
        let trim = rest.get(close - 1) == Some(&b'-');
        self.pos += close + 2;
        Ok(trim)
    }
}
