//! Beginning a session: who we are, and whatever proof the server asks for.

use super::binding::Tie;
use super::incoming::{self, Message};
use super::{Status, Wait, Wire, answer, said};
use crate::errors::{Cause, Said, Trouble};
use bytes::BytesMut;
use dbdyno_model::ErrorClass;
use postgres_protocol::authentication::md5_hash;
use postgres_protocol::authentication::sasl::ScramSha256;
use postgres_protocol::message::frontend;
use std::io;

/// With which a statement of the session can be cancelled: process and secret.
pub(in super::super) type Key = (i32, i32);

/// What the server wants next, or has to say.
pub(in super::super) enum Turn {
    Password,
    Md5([u8; 4]),
    /// Mechanisms, each ending with a zero.
    Sasl(Vec<u8>),
    SaslGoesOn(Vec<u8>),
    SaslEnds(Vec<u8>),
    Other(u32),
    Key(Key),
    Ready,
    Refused(Said),
}

/// How we prove who we are.
pub(super) struct Proof<'a> {
    pub(super) user: &'a str,
    pub(super) password: Option<&'a str>,
    pub(super) tie: Tie,
    /// Whether the server may have the password in clear text.
    pub(super) allows_clear_text: bool,
}

/// Begins a session with these parameters. Ends when the server is ready for statements.
pub(super) fn begin(
    wire: &mut Wire,
    parameters: &[(&str, &str)],
    Proof { user, password, tie, allows_clear_text }: &Proof<'_>,
) -> Result<Key, Trouble> {
    let mut out = BytesMut::new();
    frontend::startup_message(parameters.iter().copied(), &mut out).map_err(unwritable)?;
    let (mut key, mut scram, mut proved) = ((0, 0), None::<ScramSha256>, false);
    loop {
        if !out.is_empty() {
            wire.send(&out)?;
            out.clear();
        }
        match wire.receive(Wait::Yes, turn)?.ok_or_else(Trouble::closed)? {
            Turn::Password => {
                tie.allow_unbound()?;
                if !allows_clear_text {
                    return Err(Trouble::clear_text());
                }
                let password = password.ok_or_else(Trouble::no_password)?;
                frontend::password_message(password.as_bytes(), &mut out).map_err(unwritable)?;
            }
            Turn::Md5(salt) => {
                tie.allow_unbound()?;
                let password = password.ok_or_else(Trouble::no_password)?;
                let hash = md5_hash(user.as_bytes(), password.as_bytes(), salt);
                frontend::password_message(hash.as_bytes(), &mut out).map_err(unwritable)?;
            }
            Turn::Sasl(mechanisms) => {
                let (mechanism, binding) = tie.choose(&mechanisms)?;
                let password = password.ok_or_else(Trouble::no_password)?;
                let begun = scram.insert(ScramSha256::new(password.as_bytes(), binding));
                frontend::sasl_initial_response(mechanism, begun.message(), &mut out).map_err(unwritable)?;
            }
            Turn::SaslGoesOn(data) => {
                let scram = scram.as_mut().ok_or_else(|| Trouble::protocol("SASL goes on that never began"))?;
                scram.update(&data).map_err(unproved)?;
                frontend::sasl_response(scram.message(), &mut out).map_err(unwritable)?;
            }
            Turn::SaslEnds(data) => {
                let scram = scram.as_mut().ok_or_else(|| Trouble::protocol("SASL ends that never began"))?;
                scram.finish(&data).map_err(unproved)?;
                proved = true;
            }
            Turn::Other(method) => return Err(unsupported(&format!("authentication method {method}"))),
            Turn::Key(its) => key = its,
            Turn::Refused(said) => return Err(Trouble::said(said)),
            // Whoever lets us in without any proof is not bound either.
            Turn::Ready if !proved => return tie.allow_unbound().map(|()| key),
            Turn::Ready => return Ok(key),
        }
    }
}

/// What a message of a server's says that has not let us in yet, if it is of interest.
pub(in super::super) fn turn(message: Message<'_>) -> Result<Option<Turn>, Trouble> {
    let body = message.body;
    Ok(match message.kind {
        incoming::AUTHENTICATION => {
            let Some((method, data)) = body.split_first_chunk() else {
                return Err(Trouble::protocol("a request for authentication without a method"));
            };
            match u32::from_be_bytes(*method) {
                0 => None,
                3 => Some(Turn::Password),
                5 => match <[u8; 4]>::try_from(data) {
                    Ok(salt) => Some(Turn::Md5(salt)),
                    Err(_) => return Err(Trouble::protocol("a salt that is none")),
                },
                10 => Some(Turn::Sasl(data.to_vec())),
                11 => Some(Turn::SaslGoesOn(data.to_vec())),
                12 => Some(Turn::SaslEnds(data.to_vec())),
                method => Some(Turn::Other(method)),
            }
        }
        incoming::KEY_DATA => match (body.first_chunk(), body.last_chunk()) {
            (Some(process), Some(secret)) if body.len() == 8 => {
                Some(Turn::Key((i32::from_be_bytes(*process), i32::from_be_bytes(*secret))))
            }
            _ => return Err(Trouble::protocol("a key that is none")),
        },
        incoming::ERROR => Some(Turn::Refused(said::said(body))),
        incoming::READY => (answer::status(body)? == Status::Idle).then_some(Turn::Ready),
        // Parameters and notices.
        _ => None,
    })
}

fn unwritable(error: io::Error) -> Trouble {
    Trouble::new(ErrorClass::Other, Cause::Other, format!("user, database or password cannot be sent: {error}"))
}

fn unproved(error: io::Error) -> Trouble {
    Trouble::new(ErrorClass::Authentication, Cause::Other, format!("the password could not be proved: {error}"))
}

pub(super) fn unsupported(what: &str) -> Trouble {
    let words = format!(
        "the server asks for {what}; dbdyno has SCRAM-SHA-256, md5 and passwords; give the user \
         the method scram-sha-256 in pg_hba.conf"
    );
    Trouble::new(ErrorClass::Unsupported, Cause::Other, words)
}
