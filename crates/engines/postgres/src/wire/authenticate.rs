//! Beginning a session: who we are, and whatever proof the server asks for.

use super::answer::{self, Status};
use super::binding::ChannelBinding;
use super::incoming::{self, Message};
use super::said::said;
use super::socket::Wait;
use super::stream::Wire;
use crate::errors::{Cause, Said, Trouble};
use bytes::BytesMut;
use dbdyno_model::ErrorClass;
use postgres_protocol::authentication::md5_hash;
use postgres_protocol::authentication::sasl::ScramSha256;
use postgres_protocol::message::frontend;
use std::io;

/// What the server wants next, or has to say, while a session begins.
pub(super) enum LoginMessage {
    Password,
    Md5([u8; 4]),
    /// Mechanisms, each ending with a zero.
    Sasl(Vec<u8>),
    SaslGoesOn(Vec<u8>),
    SaslEnds(Vec<u8>),
    Other(u32),
    /// With which statements of the session can be cancelled: process and secret.
    Key((i32, i32)),
    Ready,
    Refused(Said),
}

/// How we prove who we are.
pub(super) struct Proof<'a> {
    pub(super) user: &'a str,
    pub(super) password: Option<&'a str>,
    pub(super) binding: ChannelBinding,
    /// Whether the server may have the password in clear text.
    pub(super) allows_clear_text: bool,
}

/// Begins a session with these parameters. Ends when the server is ready for statements.
pub(super) fn begin(
    wire: &mut Wire,
    parameters: &[(&str, &str)],
    Proof { user, password, binding, allows_clear_text }: &Proof<'_>,
) -> Result<(), Trouble> {
    let mut out = BytesMut::new();
    frontend::startup_message(parameters.iter().copied(), &mut out).map_err(unwritable)?;
    let (mut scram, mut proved) = (None::<ScramSha256>, false);
    loop {
        if !out.is_empty() {
            wire.send(&out)?;
            out.clear();
        }
        match wire.receive(Wait::Yes, login_message)?.ok_or_else(Trouble::closed)? {
            LoginMessage::Password => {
                binding.allow_unbound()?;
                if !allows_clear_text {
                    return Err(Trouble::clear_text());
                }
                let password = password.ok_or_else(Trouble::no_password)?;
                frontend::password_message(password.as_bytes(), &mut out).map_err(unwritable)?;
            }
            LoginMessage::Md5(salt) => {
                binding.allow_unbound()?;
                let password = password.ok_or_else(Trouble::no_password)?;
                let hash = md5_hash(user.as_bytes(), password.as_bytes(), salt);
                frontend::password_message(hash.as_bytes(), &mut out).map_err(unwritable)?;
            }
            LoginMessage::Sasl(mechanisms) => {
                let (mechanism, bound) = binding.choose(&mechanisms)?;
                let password = password.ok_or_else(Trouble::no_password)?;
                let begun = scram.insert(ScramSha256::new(password.as_bytes(), bound));
                frontend::sasl_initial_response(mechanism, begun.message(), &mut out).map_err(unwritable)?;
            }
            LoginMessage::SaslGoesOn(data) => {
                let scram = scram.as_mut().ok_or_else(|| Trouble::protocol("SASL goes on that never began"))?;
                scram.update(&data).map_err(unproved)?;
                frontend::sasl_response(scram.message(), &mut out).map_err(unwritable)?;
            }
            LoginMessage::SaslEnds(data) => {
                let scram = scram.as_mut().ok_or_else(|| Trouble::protocol("SASL ends that never began"))?;
                scram.finish(&data).map_err(unproved)?;
                proved = true;
            }
            LoginMessage::Other(method) => {
                return Err(Trouble::unsupported(&format!("authentication method {method}")));
            }
            LoginMessage::Key(key) => wire.set_key(key),
            LoginMessage::Refused(said) => return Err(Trouble::said(said)),
            // Whoever lets us in without any proof is not bound either.
            LoginMessage::Ready if !proved => return binding.allow_unbound(),
            LoginMessage::Ready => return Ok(()),
        }
    }
}

/// What a message of a server's says that has not let us in yet, if it is of interest.
pub(super) fn login_message(message: Message<'_>) -> Result<Option<LoginMessage>, Trouble> {
    let body = message.body;
    Ok(match message.kind {
        incoming::AUTHENTICATION => {
            let Some((method, data)) = body.split_first_chunk() else {
                return Err(Trouble::protocol("a request for authentication without a method"));
            };
            match u32::from_be_bytes(*method) {
                0 => None,
                3 => Some(LoginMessage::Password),
                5 => match <[u8; 4]>::try_from(data) {
                    Ok(salt) => Some(LoginMessage::Md5(salt)),
                    Err(_) => return Err(Trouble::protocol("a salt that is none")),
                },
                10 => Some(LoginMessage::Sasl(data.to_vec())),
                11 => Some(LoginMessage::SaslGoesOn(data.to_vec())),
                12 => Some(LoginMessage::SaslEnds(data.to_vec())),
                method => Some(LoginMessage::Other(method)),
            }
        }
        incoming::KEY_DATA => match (body.first_chunk(), body.last_chunk()) {
            (Some(process), Some(secret)) if body.len() == 8 => {
                Some(LoginMessage::Key((i32::from_be_bytes(*process), i32::from_be_bytes(*secret))))
            }
            _ => return Err(Trouble::protocol("a key that is none")),
        },
        incoming::ERROR => Some(LoginMessage::Refused(said(body))),
        incoming::READY => (answer::status(body)? == Status::Idle).then_some(LoginMessage::Ready),
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
